/**
 * The commands that keep a console's file of users. {@link org.posthouse.cli.users.UsersCommand} is the entry. A relay that has the file reads it again
 * when it has changed; nothing is asked of it.
 */
package org.posthouse.cli.users;
