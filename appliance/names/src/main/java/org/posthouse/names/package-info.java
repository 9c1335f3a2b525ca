/**
 * Names with versions, elections without locks, and changes of several records at once (FT-MPI on H2O, sections 3 and 4). {@link
 * org.posthouse.names.NameService} is the contract of all back ends and {@link org.posthouse.names.MemoryNames} the simplest of them. {@link
 * org.posthouse.names.Election} and {@link org.posthouse.names.CompoundChange} are built on the contract alone. Without threads, clocks and sockets: time
 * comes from an {@link org.posthouse.names.Alarm}.
 */
package org.posthouse.names;
