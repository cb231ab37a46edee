/** Version of this package. The build fills it in. */
export const VERSION: string = process.env.TRAWL_CLI_VERSION ?? 'development';
