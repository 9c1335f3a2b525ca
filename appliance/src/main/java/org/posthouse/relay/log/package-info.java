/**
 * The relay's side of its log: the journal that the core writes to, room in the log and who pins it, syncing, takeover
 * of an earlier relay's log, and the threads that read histories.
 */
package org.posthouse.relay.log;
