/** The version of this library. */
export declare const VERSION: string;
