/**
 * The parts of a connection before it belongs to a link: TLS and the check of its records, and the decoding of frames.
 * Also the kinds of refusal with their counts, and the delays between attempts to connect. A connection belongs to one
 * event loop and is called only there. The relay reads the frames of ranks with the same decoder.
 */
package org.posthouse.tunnel.socket;
