package org.posthouse.names.ldap;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.schema.Schema;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.net.ServerSocketFactory;

/** UnboundID's directory server in this process, with Posthouse's schema. */
final class DirectoryInMemory implements AutoCloseable {
    static final String BASE = "ou=names,dc=example,dc=org";
    static final String USER = "cn=posthouse,dc=example,dc=org";
    static final String PASSWORD = "secret of a test";

    private final InMemoryDirectoryServer server;

    private DirectoryInMemory(InMemoryDirectoryServer server) {
        this.server = server;
    }

    static DirectoryInMemory start(ServerSocketFactory sockets) throws LDAPException, LDIFException, IOException {
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=org");
        config.addAdditionalBindCredentials(USER, PASSWORD);
        config.setListenerConfigs(new InMemoryListenerConfig("test", java.net.InetAddress.getLoopbackAddress(), 0, sockets, null, null));
        config.setSchema(Schema.mergeSchemas(Schema.getDefaultStandardSchema(), schema()));
        InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
        server.add("dn: dc=example,dc=org", "objectClass: domain", "dc: example");
        server.add("dn: " + BASE, "objectClass: organizationalUnit", "ou: names");
        server.startListening();
        return new DirectoryInMemory(server);
    }

    /** OpenLDAP's form of the schema as that of other servers. */
    private static Schema schema() throws LDIFException, LDAPException, IOException {
        String[] lines = LdapSchema.ldif().replace("olcAttributeTypes:", "attributeTypes:").replace("olcObjectClasses:", "objectClasses:")
                .replace("dn: cn=posthouse,cn=schema,cn=config", "dn: cn=schema").replace("objectClass: olcSchemaConfig", "objectClass: subschema")
                .lines().filter(line -> !line.startsWith("#") && !line.isEmpty()).toArray(String[]::new);
        return new Schema(new com.unboundid.ldap.sdk.Entry(lines));
    }

    InMemoryDirectoryServer server() {
        return server;
    }

    int port() {
        return server.getListenPort();
    }

    static Path passwordFile(Path folder, String password) throws IOException {
        Path file = folder.resolve("password-of-" + password.length());
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return Files.writeString(file, password + "\n");
    }

    /** The address of a directory on this host. */
    static LdapConfig config(int port, Path passwordFile, String options) {
        return LdapConfig.parse("ldap://127.0.0.1:" + port + "/" + BASE + "?user=" + USER + "&password-file=" + passwordFile + options);
    }

    @Override
    public void close() {
        server.shutDown(true);
    }
}
