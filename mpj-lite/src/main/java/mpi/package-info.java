/**
 * The MPJ API (mpiJava 1.2 style) that programs import: MPI's own names, argument checks, and statuses.
 *
 * <p>State belongs to the {@link mpi.Comm} objects and their requests; a rank's threads may communicate at once, but a
 * communicator runs one collective at a time. Everything public may be called by programs, which may also have classes
 * in this package: all else but the argument checks lives below {@code org.posthouse.mpj}. The package is large because the
 * API names it and its classes.
 */
package mpi;
