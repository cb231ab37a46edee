/**
 * Loads the library of Amazon S3. Call it only when it is needed, because the library is large and would delay the start
 * of the backend.
 */
export async function loadS3() {
  // The setting silences its warning that it will need a newer Node.js, which the operator cannot act on.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return import('@aws-sdk/client-s3');
}

export const S3_OPTIONS = {
  // Without it, the library prints a warning on the console for each failure. Callers report failures themselves.
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  // Servers other than Amazon's often lack the newer checksums.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;
