/**
 * Names in a directory server ({@code --names ldap://...}), over JNDI alone. {@link org.posthouse.names.ldap.LdapNames} is the back end and {@link
 * org.posthouse.names.ldap.LdapConfig} where its directory is. All that blocks runs on threads of its own. State is in the directory; a listener's thread owns
 * what its prefix was last seen to have.
 */
package org.posthouse.names.ldap;
