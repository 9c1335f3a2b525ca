/**
 * The program that is run once so that ranks start faster (docs/adr/0014-class-archives-and-aot-caches.md). It has no
 * state, uses package {@code mpi} as any program does, and is started by {@code posthouse rehearse} only.
 */
package org.posthouse.mpj.rehearsal;
