/**
 * The types for CommonJS, where `require` returns the same classes as `import` does. TypeScript otherwise refuses to import
 * an ES module from CommonJS, unless its option `module` is `nodenext` or `node20`.
 */

import type * as library from "./index.js" with { "resolution-mode": "import" };

export type * from "./index.js" with { "resolution-mode": "import" };

export declare const VERSION: typeof library.VERSION;
export declare const Client: typeof library.Client;
export type Client = library.Client;
export declare const Page: typeof library.Page;
export type Page<T> = library.Page<T>;
export declare const Webhook: typeof library.Webhook;
export type Webhook = library.Webhook;
export declare const APIError: typeof library.APIError;
export type APIError = library.APIError;
export declare const AuthenticationError: typeof library.AuthenticationError;
export type AuthenticationError = library.AuthenticationError;
export declare const BadRequestError: typeof library.BadRequestError;
export type BadRequestError = library.BadRequestError;
export declare const BlogsvcError: typeof library.BlogsvcError;
export type BlogsvcError = library.BlogsvcError;
export declare const ConfigurationError: typeof library.ConfigurationError;
export type ConfigurationError = library.ConfigurationError;
export declare const ConflictError: typeof library.ConflictError;
export type ConflictError = library.ConflictError;
export declare const ConnectionError: typeof library.ConnectionError;
export type ConnectionError = library.ConnectionError;
export declare const InvalidError: typeof library.InvalidError;
export type InvalidError = library.InvalidError;
export declare const NotFoundError: typeof library.NotFoundError;
export type NotFoundError = library.NotFoundError;
export declare const PermissionDeniedError: typeof library.PermissionDeniedError;
export type PermissionDeniedError = library.PermissionDeniedError;
export declare const PreconditionFailedError: typeof library.PreconditionFailedError;
export type PreconditionFailedError = library.PreconditionFailedError;
export declare const RateLimitError: typeof library.RateLimitError;
export type RateLimitError = library.RateLimitError;
export declare const ServerError: typeof library.ServerError;
export type ServerError = library.ServerError;
export declare const TimeoutError: typeof library.TimeoutError;
export type TimeoutError = library.TimeoutError;
export declare const WaitTimeoutError: typeof library.WaitTimeoutError;
export type WaitTimeoutError = library.WaitTimeoutError;
export declare const WebhookSignatureError: typeof library.WebhookSignatureError;
export type WebhookSignatureError = library.WebhookSignatureError;
