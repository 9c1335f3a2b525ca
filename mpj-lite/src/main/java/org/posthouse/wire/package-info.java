/**
 * The frames that every Posthouse connection speaks (docs/wire.md), one codec for both ends.
 *
 * <p>Pure: byte buffers in, byte buffers out; no socket, thread or clock. Nothing here has an owner, except a
 * {@link org.posthouse.wire.FrameView}, which belongs to whoever wrapped it. The library, the relay, the links and
 * the launcher call it; all else in this package is a record of one control frame.
 */
package org.posthouse.wire;
