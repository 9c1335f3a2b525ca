/**
 * The relay's side of its log: the journal that the core writes to, log space and retention pins, and syncing. Also the
 * takeover of an earlier relay's log, and the threads that read histories.
 */
package org.posthouse.relay.log;
