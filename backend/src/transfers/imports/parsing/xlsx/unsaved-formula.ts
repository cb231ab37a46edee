/** A cell with a formula that was saved without its value, as libraries do that write workbooks. */
export const UNSAVED_FORMULA = Symbol('formula without a saved value');

export const UNSAVED_FORMULA_REASON =
  'The cell is a formula without a saved value. Open the workbook in Excel or LibreOffice, save it, and upload it again.';
