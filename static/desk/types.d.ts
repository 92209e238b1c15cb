// Types that the scripts share. Only the type checker reads this file.

/** The title and text of a post, as typed or as stored. */
interface Draft {
  title: string;
  content: string;
}

/** A draft in this browser's storage, which the server does not have yet. */
interface StoredDraft extends Draft {
  /** Begins with the post's id, and sorts by the time when its page was opened. */
  key: string;
  /** The revision that the draft is based on. */
  rev: string;
  /** Versions that were sent to the server without a response. */
  sent: Draft[];
}

/** The server's response to a request for a draft, or to saving one. */
interface SavedDraft extends Draft {
  rev: string;
  /** Time of saving, as shown to the user: "09:41". */
  saved: string;
  state: string;
  /** Number of edits since the published or scheduled version. */
  newer: number;
  /** CSRF token of the current session. */
  token: string;
}

/** The server's response when somebody else has changed the post. */
interface DraftConflict extends SavedDraft {
  /** The part of the page that shows the difference. */
  html: string;
}

/** The fields of the editor. */
interface DraftFields {
  title: HTMLTextAreaElement;
  content: HTMLTextAreaElement;
  rev: HTMLInputElement;
  status: HTMLElement;
}

/** What the editor does when autosave reports something. */
interface AutosaveHandlers {
  onSaved(saved: SavedDraft): void;
  onConflict(conflict: DraftConflict): Promise<void>;
  /** Replace the text in the fields. */
  setDraft(draft: Draft): void;
}

/** The elements of the editor that its toolbar works with. */
interface EditorParts {
  page: HTMLElement;
  title: HTMLTextAreaElement;
  text: HTMLTextAreaElement;
  autosave: import("./autosave.js").Autosave;
  /** Return how far down a line of the text begins, in pixels. */
  top(line: number): number;
}

/** What the rest of the editor uses of its tools. */
interface EditorTools {
  addImages(files: File[]): void;
}

/** The text of a field with its selection; a text area is one. */
interface TextSelection {
  value: string;
  selectionStart: number;
  selectionEnd: number;
}

/** Text to put in place of what is between `start` and `end`. */
interface TextEdit {
  start: number;
  end: number;
  text: string;
  /** What is selected afterwards; by default the caret is behind the text. */
  select?: [from: number, to: number];
}

/** The names of the highlights in the style sheet, there with the prefix "md-". */
type HighlightName = "mark" | "head" | "code" | "tk" | "dim";

/** Add one span of a line: its highlight, start and end. */
type AddSpan = (name: HighlightName, start: number, end: number) => void;

/** What is open after a line: a code fence such as "```", or null. */
type LineState = string | null;

/** A line of the text with its block in the mirror. */
interface HighlightedLine {
  block: HTMLElement;
  node: Text;
  /** The state before the line; undefined if the line must be scanned. */
  before?: LineState;
  after: LineState;
  spans: [name: HighlightName, start: number, end: number][];
  ranges: [name: HighlightName, range: StaticRange][];
  /** True if the line is in the visible area or close to it. */
  isNear: boolean;
}

/** An image as the media endpoint returns it. */
interface UploadedImage {
  id: string;
  url: string;
  alt: string;
  markdown: string;
  /** False if the file is the same as one in the media library. */
  isNew: boolean;
}

/** Upload an image; `onProgress` receives shares from 0 to 1. */
type Upload = (file: File, onProgress: (share: number) => void) => Promise<UploadedImage>;

/** An image in the text, with the caption below it. */
interface ImageInText {
  start: number;
  end: number;
  /** The alt text as in the Markdown, with escapes. */
  rawAlt: string;
  alt: string;
  address: string;
  /** The title in quotes with the space before it, or an empty text. */
  title: string;
  /** In Markdown, except that asterisks are not escaped. Null for an image that shares its line with other text. */
  caption: string | null;
}

/** Images to copy. Whoever does so sets `done`. */
interface CopyRequest {
  urls: string[];
  done: Promise<void> | null;
}

/** An image that was not uploaded or copied. */
interface FailedUpload {
  name: string;
  /** The address of an image that was to be copied. */
  url?: string;
  reason: string;
  /** False if another attempt can't work: a file of a wrong type or size stays one. */
  canRetry: boolean;
  /** The text has the image anyway, with the address of another website. */
  isInText?: boolean;
  /** Upload the image again. If that fails, it is listed again. */
  retry(): Promise<unknown>;
  /** What gets the focus when the list is empty. */
  home: HTMLElement;
}

interface Tag {
  name: string;
  count: number;
}

type Closest = <E extends Element = HTMLElement>(event: Event, selector: string) => E | null;

interface HtmxContext {
  sourceElement: Element;
  fetch: typeof fetch;
}

interface DocumentEventMap {
  "htmx:after:settle": CustomEvent;
  "htmx:after:swap": CustomEvent;
  "htmx:before:swap": CustomEvent<{ ctx?: HtmxContext }>;
  "htmx:config:request": CustomEvent<{ ctx: HtmxContext }>;
  "images-changed": Event;
  /** Sent before publishing. A listener that holds unsaved text adds a promise of whether it was saved. */
  "blogsvc:copy-images": CustomEvent<CopyRequest>;
  "blogsvc:save": CustomEvent<{ waitFor: Promise<boolean>[] }>;
}

interface HtmxRequest {
  target?: string | Element;
  source?: Element;
  select?: string;
  swap?: string;
  values?: Record<string, string>;
}

declare const htmx: {
  ajax(method: string, url: string, request: HtmxRequest): Promise<void>;
  process(element: Element): void;
  trigger(element: string | Element, event: string): void;
};

/** What the API reference uses of Swagger UI. */
interface SwaggerOperation {
  get(name: string): string;
  getIn(path: string[]): string;
}

interface SwaggerTag {
  get(name: "operations"): { size: number; filter(keep: (operation: SwaggerOperation) => boolean): { size: number } };
  set(name: "operations", value: { size: number }): SwaggerTag;
}

interface SwaggerTags {
  map(change: (tag: SwaggerTag) => SwaggerTag): SwaggerTags;
  filter(keep: (tag: SwaggerTag) => boolean): SwaggerTags;
}

interface SwaggerProps {
  getComponent(name: string, isContainer?: boolean): unknown;
  specSelectors: { loadingStatus(): string };
}

interface SwaggerSystem {
  React: { createElement(type: unknown, props?: object | null, ...children: unknown[]): unknown };
}

declare function SwaggerUIBundle(options: Record<string, unknown>): void;
