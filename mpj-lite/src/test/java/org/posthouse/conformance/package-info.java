/**
 * What every call of package {@code mpi} does, as a program sees it: this package knows the public API alone. A case is
 * a static method {@code name(Intracomm world)} that works at any number of ranks; {@link Cases} finds them. They run in
 * a local world ({@link ConformanceTest}) and as a job over relays ({@link ConformanceJob}). {@link ApiTableTest}
 * requires a case for every member, and writes docs/mpi-api.md.
 */
package org.posthouse.conformance;
