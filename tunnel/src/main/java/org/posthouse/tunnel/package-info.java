/**
 * The connections between sites: connections that carry frames, the links between relays, and streams over links
 * (docs/links.md).
 *
 * <p>A connection or link belongs to one event loop and is called only there. The appliance dials and accepts through
 * this package. The package notifies it of frames, links going up and down, and restarted peers. It knows nothing of
 * jobs, ranks or matching.
 */
package org.posthouse.tunnel;
