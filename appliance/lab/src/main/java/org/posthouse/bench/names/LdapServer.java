package org.posthouse.bench.names;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.posthouse.names.NameService;
import org.posthouse.names.ldap.LdapConfig;
import org.posthouse.names.ldap.LdapNames;
import org.posthouse.names.ldap.LdapSchema;
import org.posthouse.testkit.DirectoryInMemory;
import org.posthouse.testkit.Slapd;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;

/** The system's OpenLDAP, or UnboundID's server in this process if there is none; connections of front ends go over the emulated way themselves. */
final class LdapServer implements NamesGroup {
    private static final int TIMEOUT_MS = 30_000;

    private final String label;
    private final List<LdapNames> frontEnds = new ArrayList<>();

    /** Last started, first closed. */
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    private LdapServer(String label) {
        this.label = label;
    }

    static LdapServer start(Path folder, WanShape way) throws IOException, InterruptedException {
        boolean isSlapd = Slapd.missing().isEmpty();
        LdapServer server = new LdapServer(isSlapd ? "slapd, with a synced database" : "UnboundID in memory");
        try {
            WanEmulator emulator = WanEmulator.start(new Random(1));
            server.started.push(emulator);
            int port = emulator.way(way).lead(isSlapd ? server.startSlapd(folder) : server.startInMemory());
            Path password = Files.createFile(folder.resolve("password"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(password, Slapd.PASSWORD);
            LdapConfig config = LdapConfig.parse("ldap://127.0.0.1:" + port + "/" + Slapd.BASE + "?user=" + Slapd.USER + "&password-file=" + password
                    + "&read-timeout-ms=" + TIMEOUT_MS);
            for (int each = 0; each < FRONT_ENDS; each++) {
                LdapNames names = new LdapNames(config);
                server.started.push(names);
                server.frontEnds.add(names);
                NamesReady.await(names, "the directory's connections");
            }
            return server;
        } catch (IOException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    private int startSlapd(Path folder) throws IOException, InterruptedException {
        Slapd slapd = Slapd.start(Files.createDirectory(folder.resolve("slapd")), LdapSchema.ldif(), LdapSchema.indices());
        started.addLast(slapd);
        return slapd.port();
    }

    private int startInMemory() throws IOException {
        DirectoryInMemory directory = DirectoryInMemory.start(LdapSchema.ldif(), null);
        started.addLast(directory);
        return directory.port();
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public NameService frontEnd(int index) {
        return frontEnds.get(index);
    }

    @Override
    public void close() {
        for (AutoCloseable each : started) {
            try {
                each.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new IllegalStateException("a part of the directory has not closed: " + e.getMessage(), e);
            }
        }
    }
}
