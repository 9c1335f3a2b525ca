/**
 * What joins sites: connections that speak frames, the links between relays, and streams over them (docs/links.md).
 *
 * <p>A connection or link belongs to one event loop and is called only there. The appliance dials and accepts through
 * this package and hears of frames, links going up and down, and peers that restarted. It knows nothing of jobs,
 * ranks or matching.
 */
package org.posthouse.tunnel;
