/**
 * The bytes of a rank's or launcher's connection: sinks for blocking and event-loop sockets, the outbound channel with
 * its queue, read buffers, and frames as parcels of counted buffers.
 */
package org.posthouse.relay.io;
