/** The settings of a relay: mode, sockets, event loops, limits of the log, time-outs. Immutable records. */
package org.posthouse.relay.config;
