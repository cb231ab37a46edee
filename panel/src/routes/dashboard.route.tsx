import '../styles/dashboard.css';
import { Page } from '../components/page/page.js';
import { Dashboard } from '../features/dashboard/components/dashboard.js';

export default function DashboardRoute() {
  return (
    <Page title="Dashboard">
      <Dashboard />
    </Page>
  );
}
