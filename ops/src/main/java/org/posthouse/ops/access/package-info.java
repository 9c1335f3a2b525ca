/**
 * Logins of the console: the file of its users, their passwords, what slows guesses, and the sessions that a login opens. It knows no route
 * and writes no answer. {@link org.posthouse.ops.access.Logins} is confined to the console's event loop; {@link
 * org.posthouse.ops.access.UsersFile} is also what {@code posthouse users} writes. Nothing outside the file is kept between two starts.
 */
package org.posthouse.ops.access;
