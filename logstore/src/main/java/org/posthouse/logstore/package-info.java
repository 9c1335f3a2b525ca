/**
 * What a relay must not forget: the message log, an append-only chain of checked records on Chronicle Queue.
 * One {@link org.posthouse.logstore.MessageLog} owns a folder and is confined to its first appending thread.
 * From outside: open, append, sync, cut and close; its book says what the records say together, cursors read them
 * again; scan reads any folder and may be called from any thread. Images stand beside it
 * ({@link org.posthouse.logstore.ImageStore}).
 * The bytes on disk are described in docs/log-format.md and pinned by golden bytes in the tests.
 * Nothing here knows of sockets, Vert.x or the wire codec; payloads are ByteBuffers.
 */
package org.posthouse.logstore;
