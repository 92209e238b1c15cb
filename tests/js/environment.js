// The scripts add listeners to the document when they are loaded. Import this file before a script that does.
globalThis.document = new EventTarget();
