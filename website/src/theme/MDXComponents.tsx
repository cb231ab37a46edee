import { ScrollTable } from '@site/src/components/scroll-table';
import MDXComponents from '@theme-original/MDXComponents';

export default { ...MDXComponents, table: ScrollTable };
