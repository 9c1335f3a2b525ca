package org.posthouse.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The system's OpenLDAP server on a loopback port, with its configuration and data in a folder of the caller. {@link #USER} may write below {@link #BASE}.
 * Confined to one thread.
 */
public final class Slapd implements AutoCloseable {
    /** Where names may be. */
    public static final String BASE = "ou=names,dc=example,dc=org";

    /** Who may write there: a user as any, with the server's usual limits. */
    public static final String USER = "cn=posthouse,dc=example,dc=org";

    /** That user's. */
    public static final String PASSWORD = "secret of a test";

    private static final Path PROGRAM = Path.of("/usr/sbin/slapd");
    private static final Path MODULES = Path.of("/usr/lib/ldap");
    private static final Path SCHEMA = Path.of("/etc/ldap/schema/core.ldif");
    private static final int START_MS_MAX = 20_000;
    private static final int STOP_S_MAX = 10;

    private final Path folder;
    private final int port;
    private Process process;

    private Slapd(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /** Why none can be started; empty if one can. */
    public static String missing() {
        return Stream.of(PROGRAM, MODULES.resolve("back_mdb.so"), SCHEMA)
                .filter(each -> !Files.exists(each))
                .findFirst()
                .map(each -> "there is no OpenLDAP server as Debian has it, without " + each + ": install slapd")
                .orElse("");
    }

    /**
     * Starts one.
     *
     * @param folder an empty one
     * @param schema further definitions, as LDIF of its configuration
     * @param indices each an attribute and its kinds of index
     */
    public static Slapd start(Path folder, String schema, String... indices) throws IOException, InterruptedException {
        Slapd slapd = new Slapd(folder, freePort());
        for (String each : List.of("config", "data")) {
            Files.createDirectory(folder.resolve(each));
        }
        slapd.add(0, configuration(folder, schema, lines(indices)));
        slapd.add(1, data());
        slapd.start();
        return slapd;
    }

    private static String lines(String... indices) {
        return Stream.concat(Stream.of("objectClass eq"), Stream.of(indices)).map(each -> "olcDbIndex: " + each).collect(Collectors.joining("\n"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String configuration(Path folder, String schema, String indices) {
        return """
                dn: cn=config
                objectClass: olcGlobal
                cn: config

                dn: cn=module,cn=config
                objectClass: olcModuleList
                cn: module
                olcModulePath: %s
                olcModuleLoad: back_mdb

                dn: cn=schema,cn=config
                objectClass: olcSchemaConfig
                cn: schema

                include: file://%s

                %s
                dn: olcDatabase=mdb,cn=config
                objectClass: olcMdbConfig
                olcDatabase: mdb
                olcSuffix: dc=example,dc=org
                olcDbDirectory: %s
                olcDbMaxSize: 1073741824
                %s
                olcAccess: to attrs=userPassword by anonymous auth by * none
                olcAccess: to dn.subtree="%s" by dn.exact="%s" write by * none
                olcAccess: to dn.base="" by * read
                """.formatted(MODULES, SCHEMA, schema + "\n", folder.resolve("data"), indices, BASE, USER);
    }

    private static String data() {
        return """
                dn: dc=example,dc=org
                objectClass: dcObject
                objectClass: organization
                dc: example
                o: example

                dn: %s
                objectClass: organizationalRole
                objectClass: simpleSecurityObject
                cn: posthouse
                userPassword: %s

                dn: %s
                objectClass: organizationalUnit
                ou: names
                """.formatted(USER, PASSWORD, BASE);
    }

    private void add(int database, String ldif) throws IOException, InterruptedException {
        Path file = folder.resolve(database + ".ldif");
        Files.writeString(file, ldif);
        Process adding = new ProcessBuilder(
                PROGRAM.toString(), "-T", "add", "-n", Integer.toString(database), "-F", folder.resolve("config").toString(), "-l", file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(adding.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (adding.waitFor() != 0) {
            throw new IOException("slapadd of " + file + " has failed: " + said);
        }
    }

    /** Starts it again, after {@link #stop}, on the same port. */
    public void start() throws IOException, InterruptedException {
        process = new ProcessBuilder(
                PROGRAM.toString(), "-d", "0", "-h", "ldap://127.0.0.1:" + port, "-F", folder.resolve("config").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("slapd.log").toFile())
                .start();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS_MAX);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                stop();
                throw new IOException("slapd does not answer on port " + port + ": " + Files.readString(folder.resolve("slapd.log")));
            }
            Thread.sleep(20);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), START_MS_MAX);
            return true;
        } catch (IOException e) {
            return false; // Not yet.
        }
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Of the server, for signals. */
    public long pid() {
        return process.pid();
    }

    /** Ends the server, as its service manager would; its data stay. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP_S_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }
}
