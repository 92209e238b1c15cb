/** The version in package.json, which a browser cannot read. */
export const VERSION = "0.1.0";
