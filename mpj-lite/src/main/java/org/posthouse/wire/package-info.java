/**
 * The frames of all Posthouse connections (docs/wire.md), one codec for both ends.
 *
 * <p>Pure: byte buffers in, byte buffers out; no socket, thread or clock. Nothing here has an owner, except a {@link
 * org.posthouse.wire.FrameView}, which belongs to its user. The library, the relay, the links and the launcher call
 * this package. All other types are records of one control frame, one file each: that is why there are so many.
 */
package org.posthouse.wire;
