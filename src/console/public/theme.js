// Before the first paint, so that dark mode users do not see a flash of light.
const theme = localStorage.getItem('querydock:theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
