package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.posthouse.ops.access.Role;
import org.posthouse.ops.access.TestUsers;
import org.posthouse.ops.access.UsersFile;
import org.posthouse.testkit.Browser;

/** The login in a real browser: refused, and allowed by role. Each test's console has a port of its own, and so its cookie. */
@Timeout(180)
class ConsoleLoginBrowserTest {
    @TempDir
    private static Path folder;

    @RegisterExtension
    private static final Browser browser = new Browser();

    private UsersFile users;

    private OpsFixture console() throws Exception {
        users = TestUsers.in(folder);
        return new OpsFixture(OpsConfig.loopback(0).access(new OpsConfig.Access(PeerTrust.NOBODY, Optional.empty(), false, ConsoleAudit.NONE)
                .users(Optional.of(users))));
    }

    private static void awaitForm() {
        browser.await("the login", () -> browser.all(".login input").size(), 2);
    }

    private static void logIn(String name, String password) {
        awaitForm();
        browser.run("document.querySelector('.login input[name=name]').value = ''; document.querySelector('.login input[name=name]').focus()");
        browser.press(name, Keys.TAB, password, Keys.ENTER);
    }

    private static void awaitRows() {
        browser.await("the nodes", () -> browser.all("main tbody tr").size(), 1);
    }

    @Test
    void aWrongPasswordIsRefusedAndTheRightOneLeadsToTheWantedPage() throws Exception {
        try (OpsFixture ops = console()) {
            browser.open(ops.uri("/nodes").toString());
            logIn(TestUsers.VIEWER, "wrong horse");
            browser.await("the refusal", () -> browser.text(".login [role=alert]"), "Name or password is wrong.");
            assertThat(browser.run("return document.querySelector('.login input[name=password]').value")).isEqualTo("");
            assertThat(ops.server.stream().openClients()).as("nothing is heard without a login").isZero();
            logIn(TestUsers.VIEWER, TestUsers.PASSWORD);
            awaitRows();
            assertThat(browser.run("return location.pathname")).isEqualTo("/nodes");
            assertThat(browser.text(".account")).isEqualTo("bob viewer Log out");
        }
    }

    @ParameterizedTest
    @CsvSource({"bob, false", "alice, true"})
    void ordersAreOfferedToOperatorsAlone(String name, boolean offered) throws Exception {
        try (OpsFixture ops = console()) {
            browser.open(ops.uri("/nodes").toString());
            logIn(name, TestUsers.PASSWORD);
            awaitRows();
            assertThat(browser.all("main button[aria-haspopup=dialog]")).hasSize(offered ? 1 : 0);
            for (String page : List.of("/", "/relays/rennes-a", "/jobs/" + Scenes.JOB)) {
                browser.open(ops.uri(page).toString());
                browser.await(page, () -> browser.all("main h2, main h3").isEmpty(), false);
                browser.await("the account", () -> browser.text(".account").startsWith(name), true);
                assertThat(browser.all("main button[aria-haspopup=dialog]").isEmpty()).as(page).isNotEqualTo(offered);
            }
            if (offered) {
                browser.open(ops.uri("/nodes").toString());
                awaitRows();
                String before = browser.text("main tbody tr .badge");
                browser.all("main button[aria-haspopup=dialog]").getFirst().click();
                browser.await("the question", () -> browser.all("dialog[open] .primary").size(), 1);
                browser.all("dialog[open] .primary").getFirst().click();
                browser.await("the order is carried out", () -> browser.text("main tbody tr .badge").equals(before), false);
            }
        }
    }

    /** Else the page would show for ever what it knew, and try again and again. */
    @Test
    void aSessionThatEndsBringsTheLoginToAllTabs() throws Exception {
        try (OpsFixture ops = console()) {
            browser.open(ops.uri("/nodes").toString());
            logIn(TestUsers.VIEWER, TestUsers.PASSWORD);
            awaitRows();
            String first = browser.tab();
            browser.openTab(ops.uri("/nodes").toString());
            awaitRows();
            TestUsers.change(users, TestUsers.VIEWER, Role.OPERATOR);
            awaitForm();
            assertThat(browser.all("main tbody tr")).isEmpty();
            browser.closeOtherTabs(first);
            awaitForm();
            logIn(TestUsers.VIEWER, TestUsers.PASSWORD);
            browser.await("the new role", () -> browser.text(".account"), "bob operator Log out");
            awaitRows();
            browser.await("the stream", () -> browser.text(".stream"), "Live");
        }
    }

    @Test
    void logoutEndsTheSession() throws Exception {
        try (OpsFixture ops = console()) {
            browser.open(ops.uri("/").toString());
            logIn(TestUsers.OPERATOR, TestUsers.PASSWORD);
            browser.await("the account", () -> browser.text(".account"), "alice operator Log out");
            browser.all(".account button").getFirst().click();
            awaitForm();
            browser.open(ops.uri("/nodes").toString());
            awaitForm();
            browser.await("no stream", () -> ops.server.stream().openClients(), 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"light, 1280", "dark, 400"})
    void theLoginHasNothingSeriousAndFits(String scheme, int width) throws Exception {
        String axe;
        try (InputStream in = ConsoleLoginBrowserTest.class.getResourceAsStream("/axe.min.js")) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        try (OpsFixture ops = console()) {
            browser.resize(width);
            browser.scheme(scheme);
            browser.open(ops.uri("/").toString());
            logIn(TestUsers.VIEWER, "wrong horse");
            browser.await("the refusal", () -> browser.all(".login [role=alert]").size(), 1);
            browser.run(axe);
            assertThat(browser.run(ConsoleAccessibilityTest.FIND)).isEqualTo(List.of());
            assertThat(browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")).isEqualTo(0L);
            browser.picture(Path.of(System.getProperty("basedir", "."), "target/console", "login-" + scheme + ".png"));
        }
    }
}
