/**
 * A connection that carries frames: addresses and sockets of the relay, mutual authentication, and reads and writes
 * that an interrupt does not close. Ranks and the launcher use it.
 *
 * <p>{@link org.posthouse.mpj.channel.FrameChannel} is the connection. {@link org.posthouse.mpj.channel.Platform} gives
 * sockets, time and threads, and the crash simulator replaces it. No type knows a job's state. The package is internal:
 * programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.channel;
