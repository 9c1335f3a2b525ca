/**
 * The reports of a rank about calls that last: waiting point-to-point calls, and positions in collectives that may not
 * match (docs/wire.md, ranks that are blocked).
 *
 * <p>{@link org.posthouse.mpj.blocked.CallTracker} is the entry of the endpoint, and {@link
 * org.posthouse.mpj.blocked.CollectivePosition} that of the collectives. The package is internal: programs never use
 * it, and it may change with any release.
 */
package org.posthouse.mpj.blocked;
