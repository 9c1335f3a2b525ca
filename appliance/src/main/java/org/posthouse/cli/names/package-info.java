/**
 * The commands about names. {@link org.posthouse.cli.names.NamesCommand} is the entry. Each asks one relay's front end, which may be any of the grid's.
 */
package org.posthouse.cli.names;
