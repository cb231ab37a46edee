import { useParams } from 'react-router';

/** Whether the user is an administrator. The role in the URL is reliable because `GuardedRoute` has checked it. */
export const useIsAdmin = (): boolean => useParams().role === 'admin';
