/**
 * Files that jobs take to their nodes, at a relay: launchers send content that the relay's store lacks, and agents fetch it
 * (docs/wire.md, Staging).
 *
 * <p>{@link org.posthouse.relay.stage.StageCache} is the entry. Sessions call it on the relay's control strand. Work on
 * the disk is done by two threads of its own, one for what arrives and one for what leaves, so that no event loop waits.
 */
package org.posthouse.relay.stage;
