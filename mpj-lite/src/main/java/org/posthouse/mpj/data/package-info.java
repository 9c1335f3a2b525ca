/**
 * Datatypes and reductions: how the elements of a program's array become a message's bytes and back, and how two
 * arrays are folded into one. Package {@code mpi} gives these their MPI names.
 *
 * <p>Nothing here keeps state beyond one message, knows a communicator, or does input and output. The {@code mpi}
 * package and the collectives call {@link org.posthouse.mpj.data.Base}, {@link org.posthouse.mpj.data.Region} and
 * {@link org.posthouse.mpj.data.Fold}; programs never do.
 */
package org.posthouse.mpj.data;
