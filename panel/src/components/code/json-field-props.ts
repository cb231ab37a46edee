import type { ReactNode } from 'react';

export interface JsonFieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  isRequired?: boolean;
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** Error of the form. The field itself says where the text is not valid JSON. */
  error?: ReactNode;
  /** Heights in lines. A longer text scrolls. */
  minRows: number;
  maxRows: number;
  autoFocus?: boolean;
  className?: string;
}

const LINE_PX = 22;
const PADDING_PX = 22;
export const heightOf = (rows: number): string => `${rows * LINE_PX + PADDING_PX}px`;
