/**
 * A relay's persistent state: the message log, an append-only chain of checked records on Chronicle Queue, and the
 * checkpoint images beside it ({@link org.posthouse.logstore.image.ImageStore}).
 *
 * <p>One {@link org.posthouse.logstore.MessageLog} owns a folder and is confined to its first appending thread. Other
 * packages open, append, sync, cut and close. {@code LogState} summarizes its records, and cursors read them again. A
 * scan reads any folder and may be called from any thread.
 *
 * <p>docs/log-format.md describes the bytes on disk, and golden bytes in the tests pin them. This package does not
 * depend on sockets, Vert.x or the wire codec; payloads are ByteBuffers.
 */
package org.posthouse.logstore;
