/**
 * The console: health and readiness, REST, the live stream, the page and the metrics of the relays in this process. It
 * owns no relay state: it asks each {@link org.posthouse.ops.RelayView} for immutable snapshots and shows them. The
 * HTTP server and its live streams are confined to one event loop, that of the console's own verticle. From outside
 * call {@link org.posthouse.ops.OpsServer}, {@link org.posthouse.ops.OpsMetrics} and the records; everything else is
 * private to the room.
 */
package org.posthouse.ops;
