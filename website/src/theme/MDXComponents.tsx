import { Operator } from '@site/src/components/operator';
import { ScrollTable } from '@site/src/components/scroll-table';
import CodeBlock from '@theme/CodeBlock';
import TabItem from '@theme/TabItem';
import Tabs from '@theme/Tabs';
import MDXComponents from '@theme-original/MDXComponents';

export default { ...MDXComponents, CodeBlock, Tabs, TabItem, Operator, table: ScrollTable };
