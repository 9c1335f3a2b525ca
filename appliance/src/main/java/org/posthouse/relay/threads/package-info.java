/**
 * The threads of a relay: strands (one owner at a time, on changing threads), the clock of a strand, reports of threads
 * that are blocked, and the end of the process after an error that cannot be handled.
 */
package org.posthouse.relay.threads;
