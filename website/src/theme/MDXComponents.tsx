import { ApiOperation } from '@site/src/components/docs/api-operation';
import { Html } from '@site/src/components/docs/html';
import { ScrollTable } from '@site/src/components/docs/scroll-table';
import { Operator } from '@site/src/components/site/operator';
import CodeBlock from '@theme/CodeBlock';
import TabItem from '@theme/TabItem';
import Tabs from '@theme/Tabs';
import MDXComponents from '@theme-original/MDXComponents';

export default { ...MDXComponents, ApiOperation, CodeBlock, Html, Tabs, TabItem, Operator, table: ScrollTable };
