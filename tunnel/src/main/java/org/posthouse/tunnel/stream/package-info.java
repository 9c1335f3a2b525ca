/**
 * Streams of bytes over links, many on each link, with flow control by tokens: each end reserves a buffer for every
 * frame that the other may send. Confined to the relay's context; no sockets.
 * {@link org.posthouse.tunnel.stream.Streams} is the entry. It reaches the links through
 * {@link org.posthouse.tunnel.stream.StreamLinks}.
 */
package org.posthouse.tunnel.stream;
