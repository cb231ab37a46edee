import { useParams } from 'react-router';

/** Whether the reader is an administrator; the address says so, and the guard has seen to it that it is true. */
export const useIsAdmin = (): boolean => useParams().role === 'admin';
