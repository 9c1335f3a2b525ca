/**
 * The threads of a relay: strands (one owner at a time, on changing threads) and the clock of a strand. Also reports of
 * blocked threads, and the end of the process after an error that cannot be handled.
 */
package org.posthouse.relay.threads;
