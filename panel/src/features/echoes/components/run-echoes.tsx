import { Button } from '@mantine/core';
import { type Action, isLive } from '@trawl/contracts';
import { useState } from 'react';
import { useUrlParams } from '../../../components/list/url-params.js';
import { RealtimeEchoes } from './realtime-echoes.js';
import { SavedEchoes } from './saved-echoes.js';

interface RunEchoesProps {
  executionId: string;
  action: Action;
}

/** The saved echoes of a run, or its live echoes, which stay after the end until the user asks for the saved ones. */
export function RunEchoes({ executionId, action }: RunEchoesProps) {
  const params = useUrlParams();
  const [isFollowed, setFollowed] = useState(isLive(action));
  if (!isFollowed)
    return (
      <>
        {isLive(action) && (
          <Button size="xs" variant="default" mb="sm" onClick={() => setFollowed(true)}>
            Back to the live echoes
          </Button>
        )}
        <SavedEchoes executionId={executionId} />
      </>
    );
  const showSaved = (place: Record<string, string | null>) => {
    params.set(place);
    setFollowed(false);
  };
  return (
    <div className="card clip-corners">
      <RealtimeEchoes executionId={executionId} action={action} onShowSaved={showSaved} />
    </div>
  );
}
