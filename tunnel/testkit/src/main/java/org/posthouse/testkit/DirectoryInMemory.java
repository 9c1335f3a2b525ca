package org.posthouse.testkit;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.Schema;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.net.InetAddress;
import javax.net.ServerSocketFactory;

/** UnboundID's directory server in this process, with the entries and the user that {@link Slapd} has. */
public final class DirectoryInMemory implements AutoCloseable {
    private final InMemoryDirectoryServer server;

    private DirectoryInMemory(InMemoryDirectoryServer server) {
        this.server = server;
    }

    /**
     * Starts one on a loopback port.
     *
     * @param schema further definitions, as LDIF of OpenLDAP's configuration
     * @param sockets null for plain ones
     */
    public static DirectoryInMemory start(String schema, ServerSocketFactory sockets) throws IOException {
        return start(schema, sockets, new InMemoryOperationInterceptor() {});
    }

    /**
     * As the other, with an observer of all operations.
     *
     * @param interceptor may refuse operations
     */
    public static DirectoryInMemory start(String schema, ServerSocketFactory sockets, InMemoryOperationInterceptor interceptor) throws IOException {
        try {
            InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=org");
            config.addAdditionalBindCredentials(Slapd.USER, Slapd.PASSWORD);
            config.setListenerConfigs(new InMemoryListenerConfig("loopback", InetAddress.getLoopbackAddress(), 0, sockets, null, null));
            config.setSchema(Schema.mergeSchemas(Schema.getDefaultStandardSchema(), standardForm(schema)));
            config.addInMemoryOperationInterceptor(interceptor);
            InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
            server.add("dn: dc=example,dc=org", "objectClass: domain", "dc: example");
            server.add("dn: " + Slapd.BASE, "objectClass: organizationalUnit", "ou: names");
            server.startListening();
            return new DirectoryInMemory(server);
        } catch (LDAPException | LDIFException e) {
            throw new IOException("the directory in memory has not started: " + e.getMessage(), e);
        }
    }

    /** OpenLDAP's form of a schema as that of other servers. */
    private static Schema standardForm(String schema) throws LDIFException {
        String[] lines = schema.replaceFirst("(?m)^dn: .*$", "dn: cn=schema")
                .replace("olcAttributeTypes:", "attributeTypes:")
                .replace("olcObjectClasses:", "objectClasses:")
                .replace("objectClass: olcSchemaConfig", "objectClass: subschema")
                .lines()
                .filter(line -> !line.startsWith("#") && !line.isEmpty())
                .toArray(String[]::new);
        return new Schema(new Entry(lines));
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return server.getListenPort();
    }

    /** Ends all connections as they are; new ones are taken. */
    public void endConnections() {
        server.closeAllConnections(false);
    }

    @Override
    public void close() {
        server.shutDown(true);
    }
}
