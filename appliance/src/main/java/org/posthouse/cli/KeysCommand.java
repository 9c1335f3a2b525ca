package org.posthouse.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.KeysFolder;
import org.posthouse.keys.SiteCertificate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse keys}: the grid's authority and its sites' certificates. */
@Command(
        name = "keys",
        description = "Makes the grid's authority and its sites' certificates.",
        mixinStandardHelpOptions = true,
        subcommands = {
            KeysCommand.Init.class,
            KeysCommand.Issue.class,
            KeysCommand.Show.class,
            KeysCommand.Renew.class,
            KeysCommand.Revoke.class
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  posthouse keys init grid", "  posthouse keys issue --authority grid --into keys-a site-a"})
final class KeysCommand {
    private static final String DAYS = "Days of validity (default: ${DEFAULT-VALUE}).";

    /** {@code posthouse keys init}. */
    @Command(name = "init", description = "Makes a grid's authority. Keep its folder where no relay runs.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse keys init grid", "  posthouse keys init --days 730 grid"})
    static final class Init implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The authority's folder; made if missing.")
        private Path folder;

        @Option(names = "--days", defaultValue = "3650", description = DAYS)
        private int days;

        @Override
        public Integer call() throws CommandFailure {
            try {
                GridAuthority authority = GridAuthority.init(folder, days);
                System.out.println("authority in " + folder + ", valid until " + authority.notAfter());
                return 0;
            } catch (KeysException e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }

    /** A command that writes a site's key and certificate into its folder. */
    private abstract static class Certification implements Callable<Integer> {
        @Parameters(paramLabel = "SITE", description = "The site: 1 to 63 of a-z, 0-9 and hyphen.")
        private String site;

        @Option(names = "--authority", required = true, paramLabel = "DIR", description = "The authority's folder.")
        private Path authority;

        @Option(names = "--into", required = true, paramLabel = "DIR", description = "The site's keys folder; issue makes a missing one.")
        private Path into;

        @Option(names = "--days", defaultValue = "365", description = DAYS)
        private int days;

        abstract SiteCertificate write(GridAuthority grid, String site, int days, Path into) throws KeysException;

        /** The result for the keys, as the end of "keys of site-a in keys-a". */
        abstract String done();

        @Override
        public Integer call() throws CommandFailure {
            try {
                SiteCertificate written = write(GridAuthority.open(authority), site, days, into);
                String whose = written.node().isEmpty() ? "site " + site : "node " + written.node();
                System.out.println("keys of " + whose + " in " + into + done() + ", serial " + written.serial() + ", valid until "
                        + written.notAfter());
                return 0;
            } catch (KeysException | IllegalArgumentException e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }

    /** {@code posthouse keys issue}. */
    @Command(name = "issue", description = "Issues a site's certificate and key, or those of one of its nodes.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse keys issue --authority grid --into keys-a site-a",
                "  posthouse keys issue --authority grid --into keys-n1 --node n1 site-a"})
    static final class Issue extends Certification {
        @Option(names = "--node", paramLabel = "NAME", description = "For a node of the site: its agent then needs no token (agent --keys).")
        private String node;

        @Override
        SiteCertificate write(GridAuthority grid, String site, int days, Path into) throws KeysException {
            return node == null ? grid.issue(site, days, into) : grid.issueNode(site, node, days, into);
        }

        @Override
        String done() {
            return "";
        }
    }

    /** {@code posthouse keys show}. */
    @Command(
            name = "show",
            description = "Shows the certificates in a keys folder, valid or not: an authority's, with all that it has issued, or a site's.",
            footer = {
                "",
                "Status 0: the folder is of use, now and for --days more. 3: it is not: the site's",
                "certificate or its authority has expired or is not valid yet, or the folder's list",
                "has the certificate revoked; an authority's, if the authority itself is not valid.",
                "1: it cannot be read.", "", "Examples:", "  posthouse keys show keys-a", "  posthouse keys show --days 30 --json grid"},
            mixinStandardHelpOptions = true)
    static final class Show implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The authority's folder, or a site's.")
        private Path folder;

        @Option(names = "--days", defaultValue = "0",
                description = "Status 3 also if the folder is of no use in so many days any more (default: ${DEFAULT-VALUE}).")
        private int days;

        @Spec
        private CommandSpec command;

        @Option(names = "--json", description = "Print JSON.")
        private boolean json;

        @Override
        public Integer call() throws CommandFailure {
            if (days < 0) {
                throw new ParameterException(command.commandLine(), "--days " + days + ", expected 0 or more");
            }
            try {
                KeysFolder keys = KeysFolder.read(folder);
                Instant now = Instant.now();
                System.out.print(json ? KeysListing.json(keys) + System.lineSeparator() : KeysListing.text(folder, keys, now, now.plus(Duration.ofDays(days))));
                return keys.isGood(now) && keys.isGood(now.plus(Duration.ofDays(days))) ? 0 : ExitCode.ATTENTION.status();
            } catch (KeysException e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }

    /** {@code posthouse keys renew}. */
    @Command(
            name = "renew",
            description = "Puts another key and certificate in place of a site's. Its relays take them up within a second; the old certificate"
                    + " stays valid until its end or until it is revoked.",
            mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse keys renew --authority grid --into keys-a site-a"})
    static final class Renew extends Certification {
        @Override
        SiteCertificate write(GridAuthority grid, String site, int days, Path into) throws KeysException {
            return grid.renew(site, days, into);
        }

        @Override
        String done() {
            return " renewed";
        }
    }

    /** {@code posthouse keys revoke}. */
    @Command(
            name = "revoke",
            description = "Takes certificates back. Relays refuse them, and end links that use them, within seconds after the list has come"
                    + " to one of them.",
            mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse keys revoke --authority grid --into keys-b site-a", "  posthouse keys revoke --authority grid site-a/n1"})
    static final class Revoke implements Callable<Integer> {
        @Parameters(paramLabel = "SITE|SITE/NODE|SERIAL", description = "A site or a node, for all its certificates, or one certificate's serial number.")
        private String siteOrSerial;

        @Option(names = "--authority", required = true, paramLabel = "DIR", description = "The authority's folder.")
        private Path authority;

        @Option(
                names = "--into",
                paramLabel = "DIR",
                description = "Put the list into this site's keys folder; one site's is enough, and may be repeated. Without it, copy"
                        + " revoked.pem there from the authority's folder.")
        private List<Path> into = List.of();

        @Override
        public Integer call() throws CommandFailure {
            try {
                GridAuthority grid = GridAuthority.open(authority);
                for (Path site : into) {
                    if (grid.learn(site)) { // Before anything is revoked: it refuses another grid's.
                        System.out.println("the list in " + site + " was newer than the authority's, or another: both are one list now");
                    }
                }
                List<SiteCertificate> revoked = grid.revoke(siteOrSerial);
                for (SiteCertificate one : revoked) {
                    System.out.println("revoked serial " + one.serial() + " of " + (one.node().isEmpty() ? "site " : "node ") + one.subject());
                }
                if (revoked.isEmpty()) {
                    System.out.println(siteOrSerial + " was revoked before");
                }
                for (Path site : into) {
                    grid.tellRevoked(site);
                    System.out.println("list in " + site);
                }
                return 0;
            } catch (KeysException e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }

    private KeysCommand() {}
}
