/** Of this library. */
export declare const VERSION: string;
