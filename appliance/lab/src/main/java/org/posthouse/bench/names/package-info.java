/**
 * {@code posthouse bench names}: the two experiments of the paper on FT-MPI and H2O on each back end of names, with and without locks, and elections. {@link
 * org.posthouse.bench.names.NamesPlan} is the entry; a further back end is one entry of {@link org.posthouse.bench.names.NamesBackEnd}.
 */
package org.posthouse.bench.names;
