/** Error: the platform refused a frame and would refuse it again. */
export class FrameRefused extends Error {
  /** @param refusal the error as the platform sent it. The answers of some frames have more fields. */
  constructor(readonly refusal: { code: string; message: string }) {
    super(refusal.message);
  }

  get code(): string {
    return this.refusal.code;
  }
}
