import { ScrollTable } from '@site/src/components/scroll-table';
import CodeBlock from '@theme/CodeBlock';
import MDXComponents from '@theme-original/MDXComponents';

export default { ...MDXComponents, CodeBlock, table: ScrollTable };
