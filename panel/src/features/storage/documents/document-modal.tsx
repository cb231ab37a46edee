import { type FormEvent, useState } from 'react';
import type { MongoDocument } from '../../../api/entities.js';
import { JsonField } from '../../../components/code/json-field.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useAddDocuments, useUpdateDocument } from '../api/change-documents.js';
import { changeOf, parseDocument, parseDocuments } from '../document-change.js';

interface DocumentModalProps {
  /** Id of the document to change; none for new ones. */
  id?: string;
  title: string;
  note: string;
  initialText: string;
  button: string;
  failure: string;
  request: { error: unknown; isPending: boolean };
  /** Sends the text. Returns why it cannot be sent, or null. */
  onSubmit: (text: string) => string | null;
  onClose: () => void;
}

function DocumentModal(props: DocumentModalProps) {
  const { id, title, note, initialText, button, failure, request, onSubmit, onClose } = props;
  const [text, setText] = useState(initialText);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(onSubmit(text));
  };
  return (
    <FormModal
      isDirty={text !== initialText}
      kept={{ of: id, input: text, restore: setText }}
      onClose={onClose}
      size="xl"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <JsonField
            label="JSON"
            description={note}
            minRows={10}
            maxRows={24}
            value={text}
            onChange={changed => {
              setText(changed);
              setProblem(null);
            }}
            error={problem}
            autoFocus
          />
          <ModalActions request={request} failure={failure} onCancel={close} type="submit">
            {button}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}

interface EditProps {
  databaseId: string;
  collection: string;
  onClose: () => void;
}

export function AddDocumentsModal({ databaseId, collection, onClose }: EditProps) {
  const add = useAddDocuments(databaseId, collection);
  const submit = (text: string): string | null => {
    const parsed = parseDocuments(text);
    if ('problem' in parsed) return parsed.problem;
    add.mutate(parsed.documents, { onSuccess: onClose });
    return null;
  };
  return (
    <DocumentModal
      title="Add documents"
      note='A document in { and }, or a list of up to 1,000 in [ and ]. Write a date as { "$date": "2026-01-31T12:00:00Z" }. MongoDB chooses an _id if there is none.'
      initialText={'{\n  \n}'}
      button="Add"
      failure="The documents were not added"
      request={add}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}

export function EditDocumentModal({
  document,
  databaseId,
  collection,
  onClose,
}: EditProps & { document: MongoDocument }) {
  const update = useUpdateDocument(databaseId, collection);
  // The document when the editor opened. The list behind the editor may load a newer one.
  const [before] = useState(document);
  const submit = (text: string): string | null => {
    const parsed = parseDocument(text);
    if ('problem' in parsed) return parsed.problem;
    const changed = changeOf(before, parsed.document);
    if ('problem' in changed) return changed.problem;
    if (changed.change) update.mutate({ id: before._id, update: changed.change }, { onSuccess: onClose });
    else {
      notifySuccess('Nothing changed.');
      onClose();
    }
    return null;
  };
  return (
    <DocumentModal
      id={JSON.stringify(before._id)}
      title="Edit the document"
      note="Only the fields that you change are written. A field that you delete here is removed from the document."
      initialText={JSON.stringify(before, null, 2)}
      button="Save document"
      failure="The document was not saved"
      request={update}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
