import '../../styles/account.css';
import { Page } from '../../components/page/page.js';
import { MessagesTable } from '../../features/contact-messages/messages-table.js';

export default function ContactMessagesRoute() {
  return (
    <Page title="Contact messages" description="From the contact form of the website.">
      <MessagesTable />
    </Page>
  );
}
