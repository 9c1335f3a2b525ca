/**
 * Puts the processes and threads of a bench on processors, as a {@link org.posthouse.bench.affinity.ProcessLayout}
 * says. Linux only; it calls {@code taskset}. All state belongs to the driver's thread.
 */
package org.posthouse.bench.affinity;
