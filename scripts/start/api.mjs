// @ts-check

/** Thrown for an error response of the API. */
export class ApiError extends Error {
  /**
   * @param {string} request
   * @param {number} status
   * @param {{ error_message?: string, error_code?: string }} body
   */
  constructor(request, status, { error_message, error_code }) {
    super(`${request} answered ${status}: ${error_message ?? 'no message'}`);
    this.status = status;
    this.code = error_code;
  }
}

/** A client of the platform's API, signed in as one account. */
export class Api {
  /**
   * @param {string} address e.g. `http://127.0.0.1:3000`
   * @param {string} [token]
   */
  constructor(address, token) {
    this.address = address;
    this.token = token;
  }

  /**
   * @param {{ username: string, password: string }} account
   * @throws {ApiError} 401 if the password is wrong
   */
  async login({ username, password }) {
    const { jwtToken } = await this.post('/panel/login', { username, password });
    return new Api(this.address, jwtToken);
  }

  /** @param {string} path */
  get(path) {
    return this.#call('GET', path);
  }

  /**
   * @param {string} path
   * @param {unknown} [body]
   */
  post(path, body = {}) {
    return this.#call('POST', path, body);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async #call(method, path, body) {
    const answer = await fetch(this.address + path, {
      method,
      headers: {
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    /** @type {any} */
    const content = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new ApiError(`${method} ${path}`, answer.status, content);
    return content;
  }
}

/**
 * @param {string} url
 * @returns {Promise<boolean>} true if the URL responds with status 200
 */
export async function answers(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false; // not yet listening
  }
}
